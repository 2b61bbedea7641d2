// Findings in the cells of notebooks, which VS Code keeps open long after their last tab was closed: they are shown while there is
// one, and again when there is one again.

interface Known<Cell, Finding> {
  readonly cell: Cell;
  readonly findings: readonly Finding[];
  shown: boolean;
}

export class CellFindings<Cell extends { toString(): string }, Finding> {
  private readonly known = new Map<string, Known<Cell, Finding>>();

  constructor(
    private readonly isInTab: (cell: Cell) => boolean,
    private readonly show: (cell: Cell, findings: readonly Finding[]) => void,
  ) {}

  /** Takes what the server has found in a cell. */
  take(cell: Cell, findings: readonly Finding[]): void {
    const shown = this.isInTab(cell);
    if (findings.length > 0) this.known.set(cell.toString(), { cell, findings, shown });
    else this.known.delete(cell.toString());
    this.show(cell, shown ? findings : []);
  }

  /** Shows and hides what is in notebooks whose tabs have come or gone. */
  tabsChanged(): void {
    for (const each of this.known.values()) {
      const shown = this.isInTab(each.cell);
      if (shown === each.shown) continue;
      each.shown = shown;
      this.show(each.cell, shown ? each.findings : []);
    }
  }
}
