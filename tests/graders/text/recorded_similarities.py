"""What wordllama 0.4.0 itself said of pairs of texts."""

RECORDED = [
    ("The cat sat on the mat", "A cat was sitting on a rug", 0.622016),
    ("The refund is on its way", "You will get your money back", 0.500520),
    ("The refund is on its way", "Bananas are yellow", 0.107674),
    ("Das Wetter ist heute schön", "Heute scheint die Sonne", 0.180669),
    ("今日は天気がいいです", "今天天气很好", 0.576666),
    ("Привет, как дела?", "Здравствуйте, как вы?", 0.561239),
    ("👍🏽 done", "finished 👍", 0.466189),
    ("x " * 500, "y", -0.133417),
]
