"""Language models: what one is, the OpenAI-compatible client, and the grammar that needs none."""
