"""Laws over every declared part: a new part adds one line to ``parts.py`` and inherits them."""
