"""What a finished game looks like afterwards: what strong policies would have done, and how the chances moved.

Chances are worked out by playing on from every moment: from where Mr. X really was (truth), and from where the table
had to reckon with him (table). The detectives are judged by the table's chances, Mr. X by the true ones; what is left
is luck.
"""
