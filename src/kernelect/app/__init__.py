"""Models that answer by HTTP, and pages that fit them; needs the extra ``app``."""
