"""Cards that notebooks show: a verdict, a table and a picture; and what pages share with them.

Notebooks have style sheets of their own and may remove those of an output, as JupyterLab does
until a notebook is trusted. What a card cannot do without is therefore styled in place, and its
pictures are images.
"""
