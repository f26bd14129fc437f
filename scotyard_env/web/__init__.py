"""Games in a browser: a replay as one HTML file that needs nothing but itself, and live tables on a server.

What a page or a player is sent is made from views of whoever looks on, hence what is hidden from them is not in it.
"""
