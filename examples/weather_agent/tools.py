"""What the weather agent can do: look places up, and forecast from a table."""

PLACES = {
    "Paris": (48.86, 2.35),
    "Bergen": (60.39, 5.32),
    "Lisbon": (38.72, -9.14),
    "Phoenix": (33.45, -112.07),
}
WEATHER = {
    "Paris": [("sunny", 24), ("cloudy", 21)],
    "Bergen": [("rain", 12), ("rain", 11)],
    "Lisbon": [("sunny", 27), ("thunderstorm", 22)],
    "Phoenix": [("sunny", 41), ("sunny", 42)],
}


def geocode(place):
    latitude, longitude = PLACES[place]
    return {"place": place, "latitude": latitude, "longitude": longitude}


def forecast(place, days=1, unit="celsius"):
    sky, celsius = WEATHER[place][days - 1]
    degrees = celsius if unit == "celsius" else round(celsius * 9 / 5 + 32)
    return {"sky": sky, "degrees": degrees, "unit": unit}


def warn(place, about):
    return {"sent": True, "place": place, "about": about}


TOOLS = {"geocode": geocode, "forecast": forecast, "warn": warn}
