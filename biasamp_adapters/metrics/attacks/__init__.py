"""The attackers behind LA and DPA: on tables of counts, or fitted on rows."""
