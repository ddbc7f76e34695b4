/** Items of all pages, read as they are asked for. */
export async function* itemsOfPages<Item>(
  readPage: (pageToken: string) => Promise<{ items: readonly Item[]; nextPageToken: string }>,
): AsyncGenerator<Item, void, undefined> {
  let pageToken = '';
  do {
    const page = await readPage(pageToken);
    yield* page.items;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
