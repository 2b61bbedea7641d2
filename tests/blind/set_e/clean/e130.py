"""Unrelated classes whose methods share their names with tensor methods."""


class Frame:
    def __init__(self, columns):
        self.columns = columns

    def to_numpy(self):
        return list(zip(*self.columns.values()))

    def numpy(self):
        return self.to_numpy()

    def detach(self):
        self.columns = dict(self.columns)

    def cpu(self):
        self.columns.setdefault("cpu", [])


class Client:
    def __init__(self):
        self.position, self.device, self.history = 0, "local", []

    def step(self):
        self.position += 1
        self.history.append(self.position)

    def backward(self):
        self.position -= 1
        self.history.append(self.position)

    def to(self, device):
        self.device = device

    def eval(self):
        return self.position > 0

    def report(self, frames):
        total = 0
        for frame in frames:
            frame.detach()
            frame.cpu()
            for row in frame.numpy():
                total += sum(row)
                self.backward()
                self.backward()
        return total
