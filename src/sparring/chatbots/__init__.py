"""What is tested: chatbots reached in process, over HTTP, or made of a model, a prompt and tools."""
