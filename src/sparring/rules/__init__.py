"""Rules over conversations: rule files, the rule language, evaluation and exact counting."""
