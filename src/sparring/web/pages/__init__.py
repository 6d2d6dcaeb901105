"""HTML pages: routes that render templates."""
