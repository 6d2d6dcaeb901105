"""Draft a chatbot preset from a curl command."""
