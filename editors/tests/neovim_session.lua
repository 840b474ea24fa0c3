-- What somebody does in Neovim: see what is found, point at a lock, take a repair, save.
-- Environment: SEEN is where to write down, as JSON, what was seen; COMMAND starts the server.

local seen = {}

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then
    seen.waited_in_vain_for = what
    vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.SEEN)
    vim.cmd("cquit")
  end
end

local function places()
  return vim.tbl_map(function(each)
    return { each.code, each.lnum, each.col, each.end_lnum, each.end_col, each.severity }
  end, vim.diagnostic.get(0))
end

require("pglint_locks").setup({ cmd = vim.fn.json_decode(vim.env.COMMAND) })
vim.cmd("edit claim.sql")

wait("diagnostics", function()
  return #vim.diagnostic.get(0) > 0
end)
seen.found = places()

local row = vim.fn.search("FOR UPDATE")
vim.fn.cursor(row, vim.fn.col(".") + 1)
local hovered
vim.lsp.buf_request(0, "textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"), function(_, found)
  hovered = found or {}
end)
wait("hover", function()
  return hovered
end)
seen.hover = hovered.contents.value

local titles = {}
vim.ui.select = function(items, options, chosen)
  for index, item in ipairs(items) do
    titles[index] = options.format_item(item)
    if titles[index]:find("PGL101: ", 1, true) == 1 then
      chosen(item, index)
    end
  end
end
vim.fn.search("IN (")
local before = vim.api.nvim_buf_get_changedtick(0)
vim.lsp.buf.code_action()
wait("the repair", function()
  return vim.api.nvim_buf_get_changedtick(0) > before
end)
seen.titles = titles

wait("diagnostics of the repaired text", function()
  return not vim.tbl_contains(
    vim.tbl_map(function(each)
      return each.code
    end, vim.diagnostic.get(0)),
    "PGL101"
  )
end)
seen.left = places()
vim.cmd("write")

vim.cmd("PglintLocksReport")
wait("the report", function()
  return vim.bo.filetype == "markdown"
end)
seen.report = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.SEEN)
vim.cmd("qall!")
