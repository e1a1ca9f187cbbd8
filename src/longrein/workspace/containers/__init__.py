"""Docker and Podman as sandboxes, through their command lines."""
