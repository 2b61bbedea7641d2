"""Named functions of libraries whose effect the vocabulary of effects cannot say."""
