"""An excavator on crawlers that loads gravel into a hopper, as a game with scores."""
