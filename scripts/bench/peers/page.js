/** A page in the format of the service. */
export const pageOf = (elements, total, page, perPage) => {
  const pages = Math.ceil(total / perPage)
  return {
    success: true,
    data: {
      collection: elements,
      meta: {
        page,
        per_page: perPage,
        next_page: page < pages && page + 1,
        prev_page: page > 1 && page - 1,
        total_pages: pages,
        total_count: total
      }
    }
  }
}
