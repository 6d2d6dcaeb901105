"""The server: REST routes, HTML pages, and access control. Use cases live in `sparring.app`."""
