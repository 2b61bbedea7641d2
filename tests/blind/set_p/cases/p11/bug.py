import torch
import torch.nn as nn


class TrafficModel(nn.Module):
    def __init__(self, sensors, hidden):
        super().__init__()
        self.cell = nn.GRUCell(sensors, hidden)
        self.readout = nn.Linear(hidden, sensors)

    def forward(self, readings, memory):
        outputs = []
        for t in range(readings.size(1)):
            memory = self.cell(readings[:, t], memory)
            outputs.append(self.readout(memory))
        return torch.stack(outputs, dim=1), memory


class StreamingFit:
    def __init__(self, sensors=4, hidden=16, regions=5):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = TrafficModel(sensors, hidden).to(self.device)
        self.optim = torch.optim.RMSprop(self.model.parameters(), lr=1e-3)
        self.memory = torch.zeros(regions, hidden, device=self.device)
        self.sensors, self.regions = sensors, regions

    def next_chunk(self):
        data = torch.randn(self.regions, 9, self.sensors).cumsum(1)
        return data.to(self.device)

    def update(self, chunk):
        prediction, memory = self.model(chunk[:, :-1], self.memory)
        loss = nn.functional.smooth_l1_loss(prediction, chunk[:, 1:])
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        self.memory = memory
        return loss.item()


def main():
    fit = StreamingFit()
    history = []
    for hour in range(6):
        history.append(fit.update(fit.next_chunk()))
    print("mean loss", sum(history) / len(history))


if __name__ == "__main__":
    main()
