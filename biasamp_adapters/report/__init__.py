"""Reports: documents of what an audit says, and how they are shown."""
