"""The reference bots: plug-ins like anyone's, using only what any plug-in may use."""
