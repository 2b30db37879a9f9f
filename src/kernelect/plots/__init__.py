"""Pictures: a record of numbers first, then a drawing of it on given axes."""
