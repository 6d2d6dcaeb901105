"""The MCP server: tools for coding agents."""
