-- Edits one file with the language server attached, and writes what was seen to a JSON file.
--
-- Environment: DEVLS_COMMAND, a JSON array; DEVLS_FILE; DEVLS_SEEN, the file to write.
-- Written for Neovim 0.7, which has neither vim.lsp.start nor vim.json.

local seen = {}
local file = vim.env.DEVLS_FILE
local PATIENCE = 60000 -- milliseconds; the longest wait for one condition

local function finish()
  local out = assert(io.open(vim.env.DEVLS_SEEN, 'w'))
  out:write(vim.fn.json_encode(seen))
  out:close()
  vim.cmd('qall!')
end

local function session()
  local exit_code
  local id = assert(vim.lsp.start_client({
    name = 'devls',
    cmd = vim.fn.json_decode(vim.env.DEVLS_COMMAND),
    root_dir = vim.fn.fnamemodify(file, ':h'),
    on_exit = function(code) exit_code = code end,
  }))
  vim.cmd('filetype on') -- the server is told the language by it
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  assert(vim.lsp.buf_attach_client(0, id))
  local client = vim.lsp.get_client_by_id(id)

  -- Diagnostics of the file as it stands.
  vim.wait(PATIENCE, function() return #vim.diagnostic.get(0) > 0 or exit_code ~= nil end, 20)
  assert(exit_code == nil, 'the server ended by itself')
  seen.offset_encoding = client.offset_encoding
  seen.diagnostics = vim.diagnostic.get(0)
  local found
  for _, diagnostic in ipairs(seen.diagnostics) do
    if diagnostic.user_data.lsp.code == 'discarded-transfer' then found = diagnostic end
  end
  if not found then return end

  -- Neovim counts columns in bytes, the protocol in units of the encoding agreed on.
  local function position(line, column)
    local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
    local _, utf16 = vim.str_utfindex(text, column)
    return { line = line, character = utf16 }
  end
  local line = vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1]
  seen.marked = line:sub(found.col + 1, found.end_col)

  local document = { uri = vim.uri_from_bufnr(0) }
  local start, finish_ = position(found.lnum, found.col), position(found.end_lnum, found.end_col)
  local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover',
    { textDocument = document, position = start }, PATIENCE)
  seen.hover = hover and hover[id]

  local lsp = found.user_data.lsp
  local range = { start = start, ['end'] = finish_ }
  local answer = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
    textDocument = document,
    range = range,
    context = { diagnostics = { {
      range = range, message = found.message, severity = found.severity, source = found.source,
      code = lsp.code, codeDescription = lsp.codeDescription, data = lsp.data,
    } } },
  }, PATIENCE)
  seen.actions = answer and answer[id] and answer[id].result
  local preferred
  for _, action in ipairs(seen.actions or {}) do
    if action.isPreferred then preferred = action end
  end
  if not (preferred and preferred.edit) then return end
  vim.lsp.util.apply_workspace_edit(preferred.edit, client.offset_encoding)
  vim.cmd('write')

  vim.wait(PATIENCE, function() return #vim.diagnostic.get(0) == 0 end, 20)
  seen.left = vim.diagnostic.get(0)

  vim.lsp.stop_client(id)
  vim.wait(PATIENCE, function() return exit_code ~= nil end, 20)
  seen.exit_code = exit_code
end

local fine, trouble = xpcall(session, debug.traceback)
if not fine then seen.trouble = tostring(trouble) end
finish()
