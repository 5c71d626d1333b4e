/** The slope of the straight line that lies closest to the points, by least squares; NaN of less than two. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const product = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return product / mean(points.map(([x]) => (x - meanX) ** 2));
}
