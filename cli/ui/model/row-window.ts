/** The part of a long list that is drawn. */
export interface RowWindow {
  readonly first: number;
  /** The first that is not drawn. */
  readonly end: number;
}

/** So many more on both sides, so that a scroll does not show a gap. */
const overscan = 8;

/** The rows that are in sight, and some on both sides. */
export function rowWindow(
  count: number,
  { scrollTop, height, rowHeight }: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): RowWindow {
  const inSight = Math.ceil(height / rowHeight) + 1;
  // A list that has become shorter leaves the scroll bar behind its end for a moment.
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight), count - inSight));
  return { first: Math.max(0, first - overscan), end: Math.min(count, first + inSight + overscan) };
}

/** Where the list has to be scrolled so that a row is in sight; undefined: it is. */
export function scrollTo(
  index: number,
  { scrollTop, height, rowHeight }: { readonly scrollTop: number; readonly height: number; readonly rowHeight: number },
): number | undefined {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : undefined;
}

/** The row that a key leads to; undefined: the key is for something else. */
export function rowAfterKey(
  key: string,
  index: number,
  { count, perPage }: { readonly count: number; readonly perPage: number },
): number | undefined {
  if (count === 0) return undefined;
  const within = (wanted: number): number => Math.max(0, Math.min(count - 1, wanted));
  switch (key) {
    case 'ArrowDown':
      return within(index + 1);
    case 'ArrowUp':
      return within(index - 1);
    case 'PageDown':
      return within(index + perPage);
    case 'PageUp':
      return within(index - perPage);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
