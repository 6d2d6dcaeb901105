"""The static HTML report, and the templates, charts and formatting that web pages share."""
