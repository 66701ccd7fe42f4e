"""Values of the package at commit 6d3b716, and their comparison with those of this one."""
