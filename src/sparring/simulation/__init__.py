"""One conversation: a user and a chatbot talk until there is a reason to stop."""
