// Axes of plots in the colours of the page.
export const FONT = "11px system-ui, sans-serif"; // uPlot scales whole pixels only: of "10.5px" it would take the 5

export const axisStyle = (parent: HTMLElement) => {
  const style = getComputedStyle(parent), colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    stroke: () => colour("--faint"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false },
    font: FONT, labelFont: FONT, labelGap: 0,
  };
};
