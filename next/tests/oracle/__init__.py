"""Numbers of the package at commit 6d3b716 for random cases, and what wrote them."""
