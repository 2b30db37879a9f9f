"""Made-up inputs by the thousand, and what must hold for each of them.

``make fuzz`` runs a campaign of the size that is asked for; ``test_fuzz.py`` is the part of it in ``make test``.
"""
