"""What came out: summaries, documents and transcripts, made of recordings alone."""
