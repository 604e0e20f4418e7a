"""At what effort gain is had."""
