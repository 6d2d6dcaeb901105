"""The bundled reference chatbots: plug-ins that use only what any plug-in may use."""
