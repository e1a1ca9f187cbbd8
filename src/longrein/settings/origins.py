"""Which file says what, for whoever is told that it makes no sense."""

from collections.abc import Iterator, Mapping, Sequence

from longrein.settings.layer import Layer


def origins(layers: Sequence[tuple[str, Layer]]) -> Mapping[str, str]:
    """The source of each setting that can only be judged once all is known, by its name; of those
    that several layers say, the strongest."""
    return {name: source for source, layer in layers for name in _said(layer)}


def _said(layer: Layer) -> Iterator[str]:
    models = {
        "titles": layer.titles,
        "compaction.model": layer.compaction.model,
        "observing.model": layer.observing.model,
        "observing.reflector_model": layer.observing.reflector_model,
    }
    yield from (name for name, model in models.items() if model)
    yield from (f'profiles."{key}"' for key in layer.profiles)
