from config import Config
from system import System


def main():
    system = System(Config())
    history = []

    @system.on_step
    def record(step, metrics):
        history.append((step, metrics["loss"]))

    system.fit()
    print(history)


if __name__ == "__main__":
    main()
