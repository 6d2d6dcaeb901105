"""OpenTelemetry traces of chatbots: spans, the dialects they are written in, and what they say."""
