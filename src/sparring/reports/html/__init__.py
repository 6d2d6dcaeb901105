"""The static HTML report, and what it shares with the pages of the server: templates, charts and formatting."""
