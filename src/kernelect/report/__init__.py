"""One self-contained page about one fitted model: facts first, then their rendering."""
