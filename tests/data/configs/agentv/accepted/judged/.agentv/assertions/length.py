print({"score": 1})
