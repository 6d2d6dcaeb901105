"""The rule language: parser, syntax tree and semantics. Evaluation lives in `rules.evaluate`."""
