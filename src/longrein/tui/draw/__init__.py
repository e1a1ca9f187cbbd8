"""From what is to be drawn to lines of the screen: pure, at a given width."""
