"""How the rule-based Frontend user sees two pages: what is on each, how they differ, and how a person says so."""
