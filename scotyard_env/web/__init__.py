"""Games in a browser: a replay as one HTML file that needs nothing but itself.

What a page holds is made from views of the viewer who was chosen, hence what is hidden from that viewer is not in it.
"""
