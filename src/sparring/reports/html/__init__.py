"""What pages and the static report have in common: templates, charts, and how words and figures are shown."""
