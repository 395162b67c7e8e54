"""The stream of a trial in plain Python integers."""

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def splitmix_output(z: int) -> int:
    """The output function of splitmix64 for the state `z`."""
    z &= MASK64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK64
    return z ^ (z >> 31)


def rotate(x: int, bits: int) -> int:
    """`x` of 32 bits rotated to the left."""
    return (x << bits | x >> (32 - bits)) & MASK32


class Stream:
    """The numbers of one trial: xoshiro128++, its state two splitmix64 outputs."""

    def __init__(self, high: int, low: int, tag: int, trial: int) -> None:
        low ^= splitmix_output(high + (2 * tag + 1) * 0xD1B54A32D192ED03)
        high ^= splitmix_output(low + GOLDEN)
        low ^= splitmix_output(high + 2 * GOLDEN)
        halves = [splitmix_output(word + (trial + 1) * GOLDEN) for word in (high, low)]
        self.state = [half >> shift & MASK32 for half in halves for shift in (0, 32)]
        if not any(self.state):
            self.state[0] = 1

    @classmethod
    def from_state(cls, state: list[int]) -> "Stream":
        """A stream that goes on from a given state."""
        stream = cls.__new__(cls)
        stream.state = list(state)
        return stream

    def word(self) -> int:
        """The next 32-bit word."""
        a, b, c, d = self.state
        word = (rotate((a + d) & MASK32, 7) + a) & MASK32
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 9 & MASK32), rotate(d, 11)]
        return word

    def uniform24(self) -> float:
        """The next uniform of 24 bits."""
        return (self.word() >> 8) * 2.0**-24

    def uniform32(self) -> float:
        """The next uniform of 32 bits."""
        return self.word() * 2.0**-32
